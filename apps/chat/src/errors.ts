/** A mistake in the command line or in the environment. The app prints the message and exits with code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}
