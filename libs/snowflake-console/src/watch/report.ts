/** Told what failed, for those who run the app: users of the console see its code, or no more than that it failed. */
export type Report = (what: string, error: unknown) => void;
