/** How a server's file can be reached, once it is known. */
export type HarnessReport =
  | { readonly serves: 'stdio' }
  | { readonly serves: 'http'; readonly port: number }
  /** It ends without serving anything. */
  | { readonly serves: 'nothing'; readonly message: string; readonly hint: string }
  /** Which of its exports to serve is not clear. */
  | { readonly serves: 'unclear'; readonly message: string; readonly hint: string }
