import { SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake/standalone';
import { attachSnowflake } from 'nestjs-snowflake/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import {
  type Blog,
  type BlogVersion,
  optionsOf,
  type Row,
} from '../../../../../libs/snowflake-cli/test/blog.js';

const LOOPS = 3;
/** Without pauses, a migration that never waits for a lock would hardly ever get one. */
const THINK_MS = 12;

let processes = 0;

interface Process {
  readonly loops: readonly { done: number }[];
  stop(): Promise<void>;
}

/** Versions of the blog that write and read at the same time. Every write that has succeeded is remembered. */
export class BlogTraffic {
  /** Sentences that are true: `title by name`, `body on title`, `name likes title`. */
  readonly expected = new Set<string>();
  readonly failures: string[] = [];
  /** Keys of the rows that each version has inserted. */
  readonly inserted: Record<BlogVersion, string[]> = { old: [], bridge: [], snowflake: [] };
  private readonly tried = new Set<string>();
  private readonly names: string[] = [];
  private readonly titles: string[] = [];
  private readonly running = new Map<BlogVersion, Process>();
  private count = 0;

  constructor(private readonly options: DataSourceOptions) {}

  /** Starts a process of a version. */
  async deploy(blog: Blog): Promise<void> {
    const dataSource = new DataSource(optionsOf(blog, this.options));
    const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: processes++ }) });
    if (blog.version === 'snowflake') {
      await ids.start();
      attachSnowflake(dataSource, ids);
    }
    await dataSource.initialize();
    const stopping = new AbortController();
    const loops = Array.from({ length: LOOPS }, () => ({ done: 0 }));
    const ended = Promise.all(
      loops.map(async (loop) => {
        while (!stopping.signal.aborted) {
          await this.operate(blog, dataSource);
          loop.done++;
          await new Promise((resolve) => setTimeout(resolve, THINK_MS * Math.random()));
        }
      }),
    );
    this.running.set(blog.version, {
      loops,
      stop: async () => {
        stopping.abort();
        await ended;
        await dataSource.destroy();
        await ids.stop();
      },
    });
  }

  async retire(version: BlogVersion): Promise<void> {
    const process = this.running.get(version);
    this.running.delete(version);
    await process?.stop();
  }

  async stop(): Promise<void> {
    for (const version of this.running.keys()) await this.retire(version);
  }

  /** Waits until each loop of each version has done that many operations more. */
  async flow(operations: number): Promise<void> {
    const goals = [...this.running.values()].flatMap(({ loops }) =>
      loops.map((loop) => ({ loop, goal: loop.done + operations })),
    );
    while (goals.some(({ loop, goal }) => loop.done < goal)) {
      await new Promise((resolve) => setTimeout(resolve, THINK_MS));
    }
  }

  private async operate(blog: Blog, dataSource: DataSource): Promise<void> {
    const number = ++this.count;
    const [name, title] = [this.names, this.titles].map((all) => all[Math.floor(Math.random() * all.length)]);
    try {
      if (name === undefined || number % 6 === 0) await this.addUser(blog, dataSource, `new user ${number}`);
      else if (title === undefined || number % 6 === 1)
        await this.addArticle(blog, dataSource, `new article ${number}`, name);
      else if (number % 6 === 2) await this.addComment(blog, dataSource, `new comment ${number}`, title);
      else if (number % 6 === 3) await this.like(blog, dataSource, name, title);
      else await this.read(blog, dataSource, title);
    } catch (error) {
      this.failures.push(`${blog.version}: ${String(error)}`);
    }
  }

  private async addUser(
    { version, User, Follows }: Blog,
    { manager }: DataSource,
    name: string,
  ): Promise<void> {
    const user = await manager.save(User, { name });
    const follows = await manager.save(Follows, { followerId: user.id, followingId: user.id });
    this.names.push(name);
    this.note(version, user, follows);
  }

  private async addArticle(
    { version, User, Article, Tag }: Blog,
    { manager }: DataSource,
    title: string,
    name: string,
  ) {
    const author = await manager.findOneByOrFail(User, { name });
    const article = await manager.save(Article, { title, author });
    const tag = await manager.save(Tag, { tag: title });
    this.expected.add(`${title} by ${name}`);
    this.titles.push(title);
    this.note(version, article, tag);
  }

  private async addComment(
    { version, Article, Comment }: Blog,
    { manager }: DataSource,
    body: string,
    title: string,
  ) {
    const article = await manager.findOneByOrFail(Article, { title });
    const comment = await manager.save(Comment, { body, article: { id: article.id } });
    this.expected.add(`${body} on ${title}`);
    this.note(version, comment);
  }

  private async like(
    { User, Article }: Blog,
    { manager }: DataSource,
    name: string,
    title: string,
  ): Promise<void> {
    const pair = `${name} likes ${title}`;
    if (this.tried.has(pair)) return;
    this.tried.add(pair);
    const [user, article] = await Promise.all([
      manager.findOneByOrFail(User, { name }),
      manager.findOneByOrFail(Article, { title }),
    ]);
    await manager.createQueryBuilder().relation(User, 'favorites').of(user.id).add(article.id);
    this.expected.add(pair);
  }

  /** Reads by the key, as a client does that has it. */
  private async read({ Article }: Blog, { manager }: DataSource, title: string): Promise<void> {
    const { id } = await manager.findOneByOrFail(Article, { title });
    const article = await manager.findOne(Article, { where: { id }, relations: { author: true } });
    if (article?.title !== title || !this.expected.has(`${title} by ${article.author?.name}`)) {
      throw new Error(`${title} was read as ${JSON.stringify(article)}`);
    }
  }

  private note(version: BlogVersion, ...rows: readonly Row[]): void {
    this.inserted[version].push(...rows.map(({ id }) => String(id)));
  }
}
