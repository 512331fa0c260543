/** The bodies that a bare server sends, by tool name for `tools/call` and by method for everything else. */
export type Answers = Readonly<Record<string, string>>

/** What the bench says to a server it has started, over the process's own channel so that no request is spent on it. */
export type Ask =
  | { readonly ask: 'cpu' }
  | { readonly ask: 'memory' }
  | { readonly ask: 'prepare'; readonly answers: Answers }

/** What a server says back. Each ask gets exactly one. */
export type Told =
  | { readonly told: 'ready'; readonly port: number }
  /** User and system time of the process, in µs. */
  | { readonly told: 'cpu'; readonly micros: number }
  /** Resident memory after a collection, in bytes. */
  | { readonly told: 'memory'; readonly bytes: number }
  | { readonly told: 'prepared' }
