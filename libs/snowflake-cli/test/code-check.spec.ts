import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { cleanUpAfterAll, temporaryFolder } from '../../../test/support/clean-up.js';
import { examineCode } from '../src/commands/doctor/code-check.js';

const COMPILER = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
const cleanUp = cleanUpAfterAll();

function appWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(cleanUp);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(COMPILER, join(folder, 'node_modules/typescript'));
  for (const [path, text] of Object.entries({ 'package.json': '{}', 'src/main.ts': '', ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** The places that are found in files of an app, without their kinds. */
function placesIn(files: Readonly<Record<string, string>>): string[] {
  const { findings } = examineCode('src', appWith(files));
  expect(findings.every(({ code, remedy }) => code === 'ID_AS_NUMBER' && remedy !== '')).toBe(true);
  return findings.flatMap(({ problem }) => [...problem.matchAll(/src\/[^)]*\)/g)].map(([place]) => place));
}

const ORDER = `import { SnowflakeColumn, SnowflakeId } from 'nestjs-snowflake/typeorm';
@Entity() export class Order { @SnowflakeId() id!: string; @SnowflakeColumn() customerId!: string }`;
const TAG = '@Entity() export class Tag { @PrimaryGeneratedColumn() id!: number; @Column() name!: string }';
const controllerOf = (name: string, parameter: string): string =>
  `@Controller() export class ${name}Controller {\n  @Get(':id')\n  one(${parameter}) { return id; }\n}`;

describe('the doctor on code that converts IDs to numbers', () => {
  it.each([
    ["@Param('id', ParseIntPipe) id: number", 'src/a.ts:3 id (ParseIntPipe)'],
    [
      "@Query('customerId', new ParseIntPipe({ optional: true })) id?: number",
      'src/a.ts:3 customerId (ParseIntPipe)',
    ],
    ["@Param('id', new DefaultValuePipe(1), common.ParseIntPipe) id", 'src/a.ts:3 id (ParseIntPipe)'],
    ["@Param('id') id: number", 'src/a.ts:3 id (number)'],
  ])('finds the parameter %s', (parameter, place) => {
    expect(placesIn({ 'src/order.entity.ts': ORDER, 'src/a.ts': controllerOf('Orders', parameter) })).toEqual(
      [place],
    );
  });

  it.each([
    ['@IsInt() customerId!: number;', 'customerId (@IsInt)'],
    ['@IsOptional()\n@IsNumber() order_id?: number;', 'order_id (@IsNumber)'],
    ['@Type(() => Number) customerId!: string;', 'customerId (@Type)'],
    ['@ApiProperty({ type: Number }) customerId!: string;', 'customerId (type: Number of @ApiProperty)'],
    [
      "@ApiPropertyOptional({ description: 'who', type: [Number] }) customerIds?: string[];",
      'customerIds (type: Number of @ApiPropertyOptional)',
    ],
    ['customerIds!: number[] | null;', 'customerIds (number)'],
    ['customerId?: number;', 'customerId (number)'],
  ])('finds the property %s of a DTO', (property, found) => {
    const places = placesIn({ 'src/a.dto.ts': `export class CreateOrderDto {\n${property}\n}` });
    expect(places).toEqual([expect.stringMatching(/^src\/a\.dto\.ts:[23] /)]);
    expect(places[0]).toContain(` ${found}`);
  });

  it.each([
    'Number(id)',
    'parseInt(order.customerId, 10)',
    'Number.parseInt(dto.order!.id!, 10)',
    'Number(this.request.params.id)',
  ])('finds %s', (code) => {
    expect(placesIn({ 'src/a.ts': `// a comment\nexport const n = ${code};` })).toEqual([
      expect.stringMatching(/^src\/a\.ts:2 (id|customerId) \((Number|parseInt|Number\.parseInt)\)$/),
    ]);
  });

  it('finds a parameter that OpenAPI describes as a number', () => {
    const code = `class OrdersController {\n  @ApiParam({ name: 'id', type: Number })\n  @Get(':id') one(@Param('id') id: string) {}\n}`;
    expect(placesIn({ 'src/a.ts': code })).toEqual(['src/a.ts:2 id (type: Number of @ApiParam)']);
  });

  it.each([
    ['strings', 'export class OrderDto { @IsSnowflakeId() @ApiSnowflakeId() customerId!: string }'],
    ['other pipes', controllerOf('Orders', "@Param('id', ParseSnowflakeIdPipe) id: string")],
    [
      'other names',
      'export class PageDto { @IsInt() page!: number; @IsInt() width!: number; @IsNumber() paid!: number }\nNumber(grid);',
    ],
    ['pages', controllerOf('Orders', "@Query('page', ParseIntPipe) page: number")],
    ['settings', 'export const chat = Number(process.env.CHAT_ID); Number(CHAT_ID);'],
    ['parts of an ID', 'Number(decoded.workerId); Number(datacenterId);'],
    ['properties of an entity', '@Entity() class Legacy { @Column() remoteId!: number }'],
    ['text and comments', "// Number(id)\nconst text = 'Number(id) and @IsInt() id';"],
    ['arithmetic', 'BigInt(id); Number(ids.length); Number(id.slice(0, 3));'],
  ])('finds nothing in %s (control)', (_, code) => {
    expect(placesIn({ 'src/order.entity.ts': ORDER, 'src/a.ts': code })).toEqual([]);
  });

  it('finds nothing in tests, declarations and other folders (control)', () => {
    const code = 'export const n = Number(id);';
    expect(
      placesIn({
        'src/a.spec.ts': code,
        'src/a.test.ts': code,
        'src/a.d.ts': code,
        'test/a.ts': code,
        'src/a.js': code,
      }),
    ).toEqual([]);
  });

  it('leaves out the IDs of entities whose keys the database counts', () => {
    const pipe = "@Param('id', ParseIntPipe) id: number";
    const places = placesIn({
      'src/order.entity.ts': ORDER,
      'src/tag.entity.ts': TAG,
      'src/orders.controller.ts': controllerOf('Orders', pipe),
      'src/tags.controller.ts': controllerOf('Tags', pipe),
      'src/health.controller.ts': controllerOf('Health', pipe),
      'src/create-order.dto.ts':
        'export class CreateOrderDto {\n  @IsInt() tagId!: number;\n  @IsInt() customerId!: number;\n}',
    });
    expect(places.toSorted()).toEqual([
      'src/create-order.dto.ts:3 customerId (@IsInt)',
      'src/orders.controller.ts:3 id (ParseIntPipe)',
    ]);
  });

  it('leaves out IDs that no entity declares, if there are entities with Snowflake keys', () => {
    const line =
      '@Entity() class Line { @SnowflakeId() id!: string; @ManyToOne(() => Order) parent!: Order; @ManyToOne(() => Tag) label!: Tag }';
    const names = ['telegramId', 'orderId', 'lineIds', 'customerId', 'parentId', 'labelId'];
    const places = placesIn({
      'src/entities.ts': `${ORDER}\n${TAG}\n${line}`,
      'src/a.dto.ts': `export class LineDto { ${names.map((name) => `@IsInt() ${name}!: number`).join('; ')} }`,
    });
    expect(places).toEqual(
      ['orderId', 'lineIds', 'customerId', 'parentId'].map((name) => `src/a.dto.ts:1 ${name} (@IsInt)`),
    );
    // Control: without entities, every ID counts.
    expect(placesIn({ 'src/a.ts': 'Number(telegramId)' })).toHaveLength(1);
  });

  it('refuses a folder that does not exist, and an app without TypeScript', () => {
    expect(() => examineCode('sources', appWith({}))).toThrow(/--code .*sources/);
    const folder = temporaryFolder(cleanUp);
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'package.json'), '{}');
    expect(() => examineCode('src', folder)).toThrow(/TypeScript/);
  });
});
