import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineResource } from '@jetway/core'

const TYPES = new Map([
  ['md', 'text/markdown'],
  ['markdown', 'text/markdown'],
  ['json', 'application/json'],
])
const typeOf = (name: string) => TYPES.get(name.toLowerCase().split('.').at(-1) ?? '') ?? 'text/plain'

/** Returns one static resource for each file in a folder. */
export const documentsIn = (folder: string) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => {
      const uri = `demo://resource/static/document/${encodeURIComponent(name)}`
      const mimeType = typeOf(name)
      return defineResource({
        name,
        uri,
        mimeType,
        description: `Static document file exposed from /docs: ${name}`,
        handler: () => ({ contents: [{ uri, mimeType, text: readFileSync(join(folder, name), 'utf8') }] }),
      })
    })
