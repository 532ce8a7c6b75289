/** Where the built page lies. ES modules and CommonJS find their own place by other means. */
export const PAGE_FOLDER: string;
