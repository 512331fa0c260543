import { stat } from 'node:fs/promises'
import { defineTool } from '@jetway/core'
import { z } from 'zod'
import type { Directories } from '../directories.ts'
import { search, treeOf } from '../walk.ts'
import { READS, TEXT, textResult } from './text-result.ts'

export const directoryTree = (directories: Directories) =>
  defineTool({
    name: 'directory_tree',
    title: 'Directory Tree',
    description:
      'Get a recursive tree view of files and directories as a JSON structure. ' +
      "Each entry includes 'name', 'type' (file/directory), and 'children' for directories. " +
      'Files have no children array, while directories always have a children array (which may be empty). ' +
      'The output is formatted with 2-space indentation for readability. Only works within allowed directories.',
    inputSchema: z.object({
      path: z.string(),
      excludePatterns: z.array(z.string()).optional().default([]),
    }),
    outputSchema: TEXT,
    annotations: READS,
    asks: { roots: directories.roots },
    async handler({ path, excludePatterns }, ctx) {
      const tree = await treeOf(await directories.of(ctx), path, excludePatterns)
      return textResult(JSON.stringify(tree, null, 2))
    },
  })

export const searchFiles = (directories: Directories) =>
  defineTool({
    name: 'search_files',
    title: 'Search Files',
    description:
      'Recursively search for files and directories matching a pattern. ' +
      'The patterns should be glob-style patterns that match paths relative to the working directory. ' +
      "Use pattern like '*.ext' to match files in current directory, and '**/*.ext' to match files in all subdirectories. " +
      "Returns full paths to all matching items. Great for finding files when you don't know their exact location. " +
      'Only searches within allowed directories.',
    inputSchema: z.object({
      path: z.string(),
      pattern: z.string(),
      excludePatterns: z.array(z.string()).optional().default([]),
    }),
    outputSchema: TEXT,
    annotations: READS,
    asks: { roots: directories.roots },
    async handler({ path, pattern, excludePatterns }, ctx) {
      const allowed = await directories.of(ctx)
      const found = await search(allowed, await allowed.resolve(path), pattern, excludePatterns)
      return textResult(found.length > 0 ? found.join('\n') : 'No matches found')
    },
  })

export const getFileInfo = (directories: Directories) =>
  defineTool({
    name: 'get_file_info',
    title: 'Get File Info',
    description:
      'Retrieve detailed metadata about a file or directory. Returns comprehensive ' +
      'information including size, creation time, last modified time, permissions, ' +
      'and type. This tool is perfect for understanding file characteristics ' +
      'without reading the actual content. Only works within allowed directories.',
    inputSchema: z.object({ path: z.string() }),
    outputSchema: TEXT,
    annotations: READS,
    asks: { roots: directories.roots },
    async handler({ path }, ctx) {
      const stats = await stat(await directories.resolve(path, ctx))
      const info = {
        size: stats.size,
        created: stats.birthtime,
        modified: stats.mtime,
        accessed: stats.atime,
        isDirectory: stats.isDirectory(),
        isFile: stats.isFile(),
        permissions: stats.mode.toString(8).slice(-3),
      }
      const lines = Object.entries(info).map(([name, value]) => `${name}: ${String(value)}`)
      return textResult(lines.join('\n'))
    },
  })

export const listAllowedDirectories = (directories: Directories) =>
  defineTool({
    name: 'list_allowed_directories',
    title: 'List Allowed Directories',
    description:
      'Returns the list of directories that this server is allowed to access. ' +
      'Subdirectories within these allowed directories are also accessible. ' +
      'Use this to understand which directories and their nested paths are available ' +
      'before trying to access files.',
    outputSchema: TEXT,
    annotations: READS,
    asks: { roots: directories.roots },
    async handler(_args, ctx) {
      const { list } = await directories.of(ctx)
      return textResult(`Allowed directories:\n${list.join('\n')}`)
    },
  })
