/** The harness's report on how a server's file serves. */
export type HarnessReport =
  | { readonly serves: 'stdio' }
  | { readonly serves: 'http'; readonly port: number }
  /** The file exits without serving anything. */
  | { readonly serves: 'nothing'; readonly message: string; readonly hint: string }
  /** The export to serve is ambiguous or missing. */
  | { readonly serves: 'unclear'; readonly message: string; readonly hint: string }
