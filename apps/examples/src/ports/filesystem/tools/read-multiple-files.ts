import { readFile } from 'node:fs/promises'
import { defineTool } from '@jetway/core'
import { z } from 'zod'
import type { Directories } from '../directories.ts'
import { READS, TEXT, textResult } from './text-result.ts'

export const readMultipleFiles = (directories: Directories) =>
  defineTool({
    name: 'read_multiple_files',
    title: 'Read Multiple Files',
    description:
      'Read the contents of multiple files simultaneously. This is more ' +
      'efficient than reading files one by one when you need to analyze ' +
      "or compare multiple files. Each file's content is returned with its " +
      "path as a reference. Failed reads for individual files won't stop " +
      'the entire operation. Only works within allowed directories.',
    inputSchema: z.object({
      paths: z
        .array(z.string())
        .min(1)
        .describe(
          'Array of file paths to read. Each path must be a string pointing to a valid file within allowed directories.',
        ),
    }),
    outputSchema: TEXT,
    annotations: READS,
    asks: { roots: directories.roots },
    async handler({ paths }, ctx) {
      const allowed = await directories.of(ctx)
      const read = async (path: string) => {
        try {
          return `${path}:\n${await readFile(await allowed.resolve(path), 'utf8')}\n`
        } catch (error) {
          return `${path}: Error - ${error instanceof Error ? error.message : String(error)}`
        }
      }
      return textResult((await Promise.all(paths.map(read))).join('\n---\n'))
    },
  })
