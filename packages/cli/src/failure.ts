/** What a command says when it cannot do its work, in words for a person. */
export class Failure extends Error {}

/** A command line that asks for nothing that there is. */
export class Misuse extends Error {}

/** What is wrong with a cache or a schema is told in its own words. */
export function fail(error: unknown): never {
  throw new Failure(error instanceof Error ? error.message : String(error))
}
