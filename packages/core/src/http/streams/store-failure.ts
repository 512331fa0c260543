import { attempt, type Awaitable } from '../../util/promises.ts'

/** Thrown if the application's session or event store fails, so that its content is unknown. */
export class StoreFailure extends Error {
  constructor(cause: unknown) {
    super('A session or event store failed', { cause })
    this.name = 'StoreFailure'
  }
}

/** @throws StoreFailure if the step throws or rejects */
export const fromStore = <T>(step: () => Awaitable<T>): Awaitable<T> =>
  attempt(step, (error): never => {
    throw new StoreFailure(error)
  })
