/** The harness's report on how a server's file serves. */
export type HarnessReport =
  /** `definition` is the name of the export to serve, if the file does not serve on its own. */
  | { readonly serves: 'stdio'; readonly definition?: string }
  | { readonly serves: 'http'; readonly port: number }
  /** The file exits without serving anything. */
  | { readonly serves: 'nothing'; readonly message: string; readonly hint: string }
  /** The export to serve is ambiguous or missing. */
  | { readonly serves: 'unclear'; readonly message: string; readonly hint: string }
