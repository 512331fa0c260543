import { usageError } from '../errors.ts'

/**
 * The resources of a server. They are opened once for the first client, and disposed when the server closes.
 */
export interface Lifespan {
  readonly ready: () => Promise<void> | undefined
  readonly value: () => unknown
  /** Disposes the value through `Symbol.asyncDispose` or `Symbol.dispose`. */
  close(): Promise<void>
}

export function createLifespan(open: (() => unknown) | undefined): Lifespan {
  let opening: Promise<void> | undefined
  let opened = open === undefined
  let value: unknown
  const start = async (): Promise<void> => {
    try {
      // The promise defers `open`: a function that throws synchronously would reset `opening` before it is set.
      value = await Promise.resolve().then(open)
      opened = true
    } catch (error) {
      // The next client tries again, because the database may have started by then.
      opening = undefined
      throw usageError('ERR_MCP_LIFESPAN', 'The lifespan of the server failed to start', { cause: error })
    }
  }
  return {
    ready: () => (opened ? undefined : (opening ??= start())),
    value: () => value,
    close: async () => {
      await opening?.catch(() => {})
      const held = value
      value = undefined
      await dispose(held)
    },
  }
}

async function dispose(value: unknown): Promise<void> {
  if (typeof value !== 'object' || value === null) return
  const disposable = value as Partial<AsyncDisposable & Disposable>
  if (typeof disposable[Symbol.asyncDispose] === 'function') await disposable[Symbol.asyncDispose]?.()
  else disposable[Symbol.dispose]?.()
}
