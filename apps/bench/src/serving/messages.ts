import type { ProfileShares } from './profile.ts'

/** The bodies that a bare server sends, keyed by tool name for `tools/call`, and otherwise by method. */
export type Answers = Readonly<Record<string, string>>

/**
 * Messages from the bench to a server, over the process's IPC channel, so that they do not count as requests.
 * All messages except `notify` have a reply.
 */
export type Ask =
  | { readonly ask: 'cpu' }
  | { readonly ask: 'memory' }
  | { readonly ask: 'notify' }
  | { readonly ask: 'prepare'; readonly answers: Answers }
  | { readonly ask: 'profile' }
  /** Ends the profile. The server writes it to the file, if there is one. */
  | { readonly ask: 'shares'; readonly file?: string }

/** A server's replies. */
export type Report =
  /** The server accepts requests. Every request needs the headers. */
  | { readonly report: 'ready'; readonly port: number; readonly headers: Readonly<Record<string, string>> }
  /** The process's user and system time, in µs. */
  | { readonly report: 'cpu'; readonly micros: number }
  /** Resident memory after a garbage collection, in bytes. */
  | { readonly report: 'memory'; readonly bytes: number }
  | { readonly report: 'prepared' }
  /** The CPU profile has started. */
  | { readonly report: 'profiling' }
  | { readonly report: 'shares'; readonly shares: ProfileShares }
