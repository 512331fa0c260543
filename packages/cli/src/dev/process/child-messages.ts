/** The messages that the process sends to its parent over Node's IPC channel. */
export type FromChild =
  /** The process has imported the files with these URLs. */
  | { readonly type: 'imported'; readonly urls: readonly string[] }
  /** The process is ready to serve. Over HTTP, it serves on this port. */
  | { readonly type: 'ready'; readonly port?: number }
  /** The port that the process should use is already in use. */
  | { readonly type: 'port-in-use'; readonly port?: number }
  /** The file could not be imported or served. */
  | { readonly type: 'failed'; readonly message: string; readonly needsChange: boolean }

/** Tells a process that was started in advance to import its file. */
export interface ToChild {
  readonly type: 'start'
}

/** Tells a process what to serve. Passed as JSON in the process's arguments. */
export interface ChildJob {
  /** An absolute path. */
  readonly file: string
  /** The export that holds the server. @default the default export, or the only server among the exports */
  readonly exportName?: string
  /** The arguments to pass to the file. */
  readonly args: readonly string[]
  readonly transport: 'stdio' | 'http'
  readonly tsconfig?: string
}
