/** A mistake of whoever started the app: told in a sentence, and the process ends with code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}
