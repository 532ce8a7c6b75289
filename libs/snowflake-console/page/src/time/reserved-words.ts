/** Words that PostgreSQL, MySQL, MariaDB or SQLite reserve, and that somebody may name a column or a table. */
const WORDS = new Set(
  (
    'add all alter and any array as asc before between call case cast change char character check ' +
    'collation column commit condition constraint continue create cross cube cursor database decimal ' +
    'declare default delete desc describe do double drop empty end exit false fetch float for force ' +
    'foreign from full fulltext function generated get grant group grouping groups if in index insert int ' +
    'integer interval into is join key keys lag left like limit lines load lock long manual match mod not ' +
    'null numeric of offset on only optimize option or order out parallel partition precision primary ' +
    'qualify range rank read reads read_write real references rename repeat replace require restrict ' +
    'return returning right row rows schema select set show signal some spatial specific sql system table ' +
    'to transaction trigger true union unique update usage use user using values when where while window ' +
    'with write lead release virtual binary leave procedure'
  ).split(' '),
);

/** Families of reserved words. */
const FAMILIES =
  /^((current|session|system|utc)_(catalog|date|role|schema|time|timestamp|user)|(first|last|nth)_value|(high|low)_priority|(day|hour|minute|second|year)_\w+|(tiny|medium|long)(blob|int|text)|sql\w+)$/;

/** Whether a name needs quotes because a database reserves the word. A name that is quoted without need works, too. */
export function isReserved(name: string): boolean {
  return WORDS.has(name) || FAMILIES.test(name);
}
