/** The harness's report of how a server's file serves. */
export type HarnessReport =
  /** `definition` is the export, if the file serves nothing by itself. */
  | { readonly serves: 'stdio'; readonly definition?: string }
  | { readonly serves: 'http'; readonly port: number }
  /** The file ends without serving anything. */
  | { readonly serves: 'nothing'; readonly message: string; readonly hint: string }
  /** The export to serve is ambiguous or missing. */
  | { readonly serves: 'unclear'; readonly message: string; readonly hint: string }
