/**
 * The operations of openapi.yaml that become tools: change `false` to `true` for those that your users need.
 * Written by `jetway openapi`, which keeps your choices when you run it again.
 */
export const operations: Readonly<Record<string, boolean | 'tool' | 'resource'>> = {
  // greetings
  'GET /greetings/{name}': true, // greet, 68 tokens: Greet somebody
  'DELETE /greetings': false, // delete_greetings, 36 tokens: Delete all greetings
}
