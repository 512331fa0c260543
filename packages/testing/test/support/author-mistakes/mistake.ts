import { UsageError } from '@jetway/core'
import type { UsageErrorCode } from '@jetway/core/protocol'

/** A mistake that newcomers make, and the place where its author reads about it. */
export interface Mistake {
  /** What the mistakes in this group have in common. */
  readonly group: string
  readonly mistake: string
  /**
   * Where the author reads about it: in a thrown error, in the log, in a compiler error, or in the reply to a
   * request.
   */
  readonly source: 'throw' | 'log' | 'compile' | 'reply'
  /** Makes the mistake. Resolves to the text that its author reads. */
  readonly read: () => string | Promise<string>
  readonly says: string | RegExp
}

/** A mistake that the program does not report, because it cannot be distinguished from an intention. */
export interface Unknowable {
  readonly mistake: string
  readonly reason: string
}

/** Passes a value from JavaScript where TypeScript would refuse it. */
export const js = (value: unknown): never => value as never
export const loose = (options: object): object => options

/** The mistake, the code that makes it, and the expected message. */
export type Row = readonly [mistake: string, make: () => unknown, says: string | RegExp]

/** Returns the message of the usage error that the code throws, or with which its promise rejects. */
export async function messageOf(make: () => unknown): Promise<string> {
  try {
    await make()
  } catch (error) {
    return error instanceof UsageError ? error.message : `no UsageError: ${String(error)}`
  }
  return 'no error'
}

/** Returns mistakes that throw a usage error with this code. */
export const thrown = (group: string, code: UsageErrorCode, rows: readonly Row[]): readonly Mistake[] =>
  rows.map(([mistake, make, says]) => ({
    group,
    mistake,
    source: 'throw',
    read: () => messageOf(make),
    says: typeof says === 'string' ? `${says} [${code}]` : says,
  }))
