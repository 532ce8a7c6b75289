/** Reports a failure to the operators of the app. Users of the console see at most its code. */
export type Report = (what: string, error: unknown) => void;
