/** How the process talks to its parent, over Node's IPC channel. */
export type FromChild =
  /** It imports these files, as URLs. */
  | { readonly type: 'imported'; readonly urls: readonly string[] }
  /** It serves: over HTTP at this port. */
  | { readonly type: 'ready'; readonly port?: number }
  /** A server of the process could not listen. */
  | { readonly type: 'port-in-use'; readonly port?: number }
  /** The file could not be imported, or not served. */
  | { readonly type: 'failed'; readonly message: string; readonly needsChange: boolean }

/** The parent lets a process that has been started ahead import its file. */
export interface ToChild {
  readonly type: 'start'
}

/** What the process serves, and how. Passed as JSON in its arguments. */
export interface ChildJob {
  /** An absolute path. */
  readonly file: string
  /** The export that holds the server. @default the default export, or the only server among the exports */
  readonly exportName?: string
  /** The arguments of the file. */
  readonly args: readonly string[]
  readonly transport: 'stdio' | 'http'
  readonly tsconfig?: string
}
