/** Where the schema cache of the built servers is, which the bench makes before it starts one that takes it. */
export const SCHEMAS: URL = new URL('../schemas.js', import.meta.url)
