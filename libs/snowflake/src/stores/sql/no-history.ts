/** The database has no history, or does not tell it: the loss of a grant would go unseen. */
export class NoHistory extends Error {}
