declare module '*.css'

/** The index of VitePress's search: a function for each language, which loads it. */
declare module '@localSearchIndex' {
  const index: Readonly<Record<string, () => Promise<unknown>>>
  export default index
}
