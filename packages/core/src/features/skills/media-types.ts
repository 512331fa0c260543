/** What skills are made of, by the end of a file's name. Everything else is plain text or bytes. */
const BY_EXTENSION: ReadonlyMap<string, string> = new Map([
  ['md', 'text/markdown'],
  ['markdown', 'text/markdown'],
  ['txt', 'text/plain'],
  ['html', 'text/html'],
  ['css', 'text/css'],
  ['csv', 'text/csv'],
  ['xml', 'application/xml'],
  ['json', 'application/json'],
  ['jsonl', 'application/jsonl'],
  ['yaml', 'application/yaml'],
  ['yml', 'application/yaml'],
  ['toml', 'application/toml'],
  ['js', 'text/javascript'],
  ['mjs', 'text/javascript'],
  ['ts', 'text/x-typescript'],
  ['py', 'text/x-python'],
  ['sh', 'text/x-shellscript'],
  ['sql', 'application/sql'],
  ['svg', 'image/svg+xml'],
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['pdf', 'application/pdf'],
  ['zip', 'application/zip'],
  ['woff2', 'font/woff2'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
])

/** @returns undefined for an ending that is not known */
export const mediaTypeOf = (name: string): string | undefined =>
  BY_EXTENSION.get(/\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '')
