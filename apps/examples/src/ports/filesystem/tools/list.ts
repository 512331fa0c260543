import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { defineTool } from '@jetway/core'
import { z } from 'zod'
import type { Directories } from '../directories.ts'
import { formatSize } from '../files.ts'
import { READS, TEXT, textResult } from './text-result.ts'

export const listDirectory = (directories: Directories) =>
  defineTool({
    name: 'list_directory',
    title: 'List Directory',
    description:
      'Get a detailed listing of all files and directories in a specified path. ' +
      'Results clearly distinguish between files and directories with [FILE] and [DIR] ' +
      'prefixes. This tool is essential for understanding directory structure and ' +
      'finding specific files within a directory. Only works within allowed directories.',
    inputSchema: z.object({ path: z.string() }),
    outputSchema: TEXT,
    annotations: READS,
    asks: { roots: directories.roots },
    async handler({ path }, ctx) {
      const entries = await readdir(await directories.resolve(path, ctx), { withFileTypes: true })
      const lines = entries.map((entry) => `${entry.isDirectory() ? '[DIR]' : '[FILE]'} ${entry.name}`)
      return textResult(lines.join('\n'))
    },
  })

export const listDirectoryWithSizes = (directories: Directories) =>
  defineTool({
    name: 'list_directory_with_sizes',
    title: 'List Directory with Sizes',
    description:
      'Get a detailed listing of all files and directories in a specified path, including sizes. ' +
      'Results clearly distinguish between files and directories with [FILE] and [DIR] ' +
      'prefixes. This tool is useful for understanding directory structure and ' +
      'finding specific files within a directory. Only works within allowed directories.',
    inputSchema: z.object({
      path: z.string(),
      sortBy: z.enum(['name', 'size']).optional().default('name').describe('Sort entries by name or size'),
    }),
    outputSchema: TEXT,
    annotations: READS,
    asks: { roots: directories.roots },
    async handler({ path, sortBy }, ctx) {
      const entries = await sizedEntries(await directories.resolve(path, ctx))
      const sorted = entries.toSorted((a, b) =>
        sortBy === 'size' ? b.size - a.size : a.name.localeCompare(b.name),
      )
      const files = entries.filter((entry) => !entry.isDirectory)
      const lines = [
        ...sorted.map(lineOf),
        '',
        `Total: ${files.length} files, ${entries.length - files.length} directories`,
        `Combined size: ${formatSize(files.reduce((sum, { size }) => sum + size, 0))}`,
      ]
      return textResult(lines.join('\n'))
    },
  })

interface SizedEntry {
  readonly name: string
  readonly isDirectory: boolean
  readonly size: number
}

async function sizedEntries(folder: string): Promise<readonly SizedEntry[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const sizeOf = (name: string) =>
    stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    )
  return Promise.all(
    entries.map(async (entry) => ({
      name: entry.name,
      isDirectory: entry.isDirectory(),
      size: await sizeOf(entry.name),
    })),
  )
}

const lineOf = ({ name, isDirectory, size }: SizedEntry) =>
  `${isDirectory ? '[DIR]' : '[FILE]'} ${name.padEnd(30)} ${isDirectory ? '' : formatSize(size).padStart(10)}`
