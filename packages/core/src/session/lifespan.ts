import { usageError } from '../errors.ts'

/** Opened once, when the first client comes; disposed when the server closes. */
export interface Lifespan {
  /** Opens it on first use; undefined when it is open already or there is none. */
  ready(): Promise<void> | undefined
  value(): unknown
  /** Disposes what was opened, through `Symbol.asyncDispose` or `Symbol.dispose`. */
  close(): Promise<void>
}

export function createLifespan(open: (() => unknown) | undefined): Lifespan {
  let opening: Promise<void> | undefined
  let opened = open === undefined
  let value: unknown
  const start = async (): Promise<void> => {
    try {
      // Not called in place: one that throws at once would be done before `opening` is set.
      value = await Promise.resolve().then(open)
      opened = true
    } catch (error) {
      // The next client tries again: a database that was late must not take the server down for good.
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
