/** How a server's file can be reached, once it is known. */
export type HarnessReport =
  | { readonly serves: 'stdio' }
  | { readonly serves: 'http'; readonly port: number }
  /** `--export` names no server. */
  | { readonly serves: 'nothing'; readonly exports: readonly string[] }
