/** Where the built page lies. The build gives CommonJS a file of its own, which finds its place by other means. */
export const PAGE_FOLDER: string;
