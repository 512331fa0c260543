import { UsageError } from '@jetway/core'
import type { UsageErrorCode } from '@jetway/core/protocol'

/** A mistake that newcomers make, and where its author reads about it. */
export interface Mistake {
  /** What mistakes of this kind have in common. */
  readonly group: string
  readonly mistake: string
  /** A thrown error, a line in the log, an error of the compiler, or the reply to a request. */
  readonly source: 'throw' | 'log' | 'compile' | 'reply'
  /** Makes the mistake, and resolves to what its author reads. */
  readonly read: () => string | Promise<string>
  readonly says: string | RegExp
}

/** A mistake about which the program says nothing, because it cannot be told from an intention. */
export interface Unknowable {
  readonly mistake: string
  readonly reason: string
}

/** A value that JavaScript passes where TypeScript would refuse it. */
export const js = (value: unknown): never => value as never
export const loose = (options: object): object => options

/** The mistake, the code that makes it, and the message. */
export type Row = readonly [mistake: string, make: () => unknown, says: string | RegExp]

/** The message of the usage error that the code throws, or its promise rejects with. */
export async function messageOf(make: () => unknown): Promise<string> {
  try {
    await make()
  } catch (error) {
    return error instanceof UsageError ? error.message : `no UsageError: ${String(error)}`
  }
  return 'no error'
}

/** Mistakes that throw a usage error with this code. */
export const thrown = (group: string, code: UsageErrorCode, rows: readonly Row[]): readonly Mistake[] =>
  rows.map(([mistake, make, says]) => ({
    group,
    mistake,
    source: 'throw',
    read: () => messageOf(make),
    says: typeof says === 'string' ? `${says} [${code}]` : says,
  }))
