/** A store of the application could not be asked. Nothing is known then, and nothing may be assumed. */
export class StoreFailure extends Error {
  constructor(cause: unknown) {
    super('A session or event store failed', { cause })
    this.name = 'StoreFailure'
  }
}

/** Asks a store, at once or later. Whatever goes wrong is a {@link StoreFailure}. */
export function fromStore<T>(ask: () => T | Promise<T>): T | Promise<T> {
  const fail = (error: unknown): never => {
    throw new StoreFailure(error)
  }
  try {
    const found = ask()
    return found instanceof Promise ? found.catch(fail) : found
  } catch (error) {
    return fail(error)
  }
}
