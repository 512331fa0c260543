import { UsageError } from '@jetway/core'
import type { UsageErrorCode } from '@jetway/core/protocol'

/** A mistake that newcomers make, and where they learn about it. */
export interface Mistake {
  /** What the mistakes in this group have in common. */
  readonly group: string
  readonly mistake: string
  /**
   * Where the author learns about the mistake: from a thrown error, the log, a compiler error, or the reply
   * to a request.
   */
  readonly source: 'throw' | 'log' | 'compile' | 'reply'
  /** Makes the mistake. Resolves to the text that the author sees. */
  readonly read: () => string | Promise<string>
  readonly says: string | RegExp
}

/** A mistake that Jetway does not report, because it might be intentional. */
export interface Unknowable {
  readonly mistake: string
  readonly reason: string
}

/** Passes a value that TypeScript would reject, as JavaScript code could. */
export const js = (value: unknown): never => value as never
export const loose = (options: object): object => options

/** A mistake, the code that makes it, and the expected message. */
export type Row = readonly [mistake: string, make: () => unknown, says: string | RegExp]

/** Returns the message of the usage error that the code throws or rejects with. */
export async function messageOf(make: () => unknown): Promise<string> {
  try {
    await make()
  } catch (error) {
    return error instanceof UsageError ? error.message : `no UsageError: ${String(error)}`
  }
  return 'no error'
}

/** Returns mistakes that each throw a usage error with this code. */
export const thrown = (group: string, code: UsageErrorCode, rows: readonly Row[]): readonly Mistake[] =>
  rows.map(([mistake, make, says]) => ({
    group,
    mistake,
    source: 'throw',
    read: () => messageOf(make),
    says: typeof says === 'string' ? `${says} [${code}]` : says,
  }))
