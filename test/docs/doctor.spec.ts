import { FINDING_KINDS } from '../../libs/snowflake/src/cli/commands/doctor/findings.js';
import { MarkdownPage } from './markdown.js';

describe('docs/operations/doctor.md', () => {
  const page = MarkdownPage.read('docs/operations/doctor.md');

  it('lists every finding of the doctor with its severity, in the order of the code', () => {
    const rows = page.tables.flatMap(({ rows: all }) => all);
    expect(rows).toEqual(
      Object.entries(FINDING_KINDS).map(([code, { severity, title }]) => [`\`${code}\``, severity, title]),
    );
  });

  it('shows a finding as the doctor prints it', () => {
    expect(page.text).toContain(`  ${FINDING_KINDS.EVICTION.remedy}\n`);
  });
});
