import { readFile } from 'node:fs/promises'
import { defineTool } from '@jetway/core'
import { z } from 'zod'
import type { Directories } from '../directories.ts'
import { firstLines, lastLines } from '../files.ts'
import { READS, TEXT, textResult } from './text-result.ts'

const OLD = 'Read the complete contents of a file as text. DEPRECATED: Use read_text_file instead.'
const NEW =
  'Read the complete contents of a file from the file system as text. ' +
  'Handles various text encodings and provides detailed error messages ' +
  'if the file cannot be read. Use this tool when you need to examine ' +
  "the contents of a single file. Use the 'head' parameter to read only " +
  "the first N lines of a file, or the 'tail' parameter to read only " +
  'the last N lines of a file. Operates on the file as text regardless of extension. ' +
  'Only works within allowed directories.'

const reader = (name: string, title: string, description: string, directories: Directories) =>
  defineTool({
    name,
    title,
    description,
    inputSchema: z.object({
      path: z.string(),
      tail: z.number().optional().describe('If provided, returns only the last N lines of the file'),
      head: z.number().optional().describe('If provided, returns only the first N lines of the file'),
    }),
    outputSchema: TEXT,
    annotations: READS,
    asks: { roots: directories.roots },
    async handler({ path, head, tail }, ctx) {
      const file = await directories.resolve(path, ctx)
      if (head && tail) throw new Error('Cannot specify both head and tail parameters simultaneously')
      if (tail) return textResult(await lastLines(file, tail))
      return textResult(head ? await firstLines(file, head) : await readFile(file, 'utf8'))
    },
  })

/** Returns two tools that read a text file. The first one keeps the tool's old name available. */
export const readText = (directories: Directories) => [
  reader('read_file', 'Read File (Deprecated)', OLD, directories),
  reader('read_text_file', 'Read Text File', NEW, directories),
]
