/**
 * The operations of library.yaml that become tools: change `false` to `true` for those that your users need.
 * Written by `jetway openapi`, which keeps your choices when you run it again.
 */
export const operations: Readonly<Record<string, boolean | 'tool' | 'resource'>> = {
  // books
  'GET /books': true, // list_books, 52 tokens: List books
  'POST /books': true, // add_book, 46 tokens: Add a book
  'GET /books/{id}': true, // get_book, 41 tokens: Get a book
  // admin
  'POST /admin/reindex': false, // reindex, 33 tokens: Rebuild the index
}
