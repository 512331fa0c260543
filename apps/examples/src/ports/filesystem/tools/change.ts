import { mkdir } from 'node:fs/promises'
import { defineTool } from '@jetway/core'
import { z } from 'zod'
import type { Directories } from '../directories.ts'
import { editFile as edit, previewEdits } from '../edits.ts'
import { move, writeText } from '../files.ts'
import { TEXT, textResult } from './text-result.ts'

const writeFile = (directories: Directories) =>
  defineTool({
    name: 'write_file',
    title: 'Write File',
    description:
      'Create a new file or completely overwrite an existing file with new content. ' +
      'Use with caution as it will overwrite existing files without warning. ' +
      'Handles text content with proper encoding. Only works within allowed directories.',
    inputSchema: z.object({ path: z.string(), content: z.string() }),
    outputSchema: TEXT,
    annotations: { readOnlyHint: false, idempotentHint: true, destructiveHint: true, openWorldHint: false },
    asks: { roots: directories.roots },
    async handler({ path, content }, ctx) {
      await writeText(await directories.resolve(path, ctx), content)
      return textResult(`Successfully wrote to ${path}`)
    },
  })

const editFile = (directories: Directories) =>
  defineTool({
    name: 'edit_file',
    title: 'Edit File',
    description:
      'Make line-based edits to a text file. Each edit replaces exact line sequences ' +
      'with new content. Returns a git-style diff showing the changes made. ' +
      'Only works within allowed directories.',
    inputSchema: z.object({
      path: z.string(),
      edits: z.array(
        z.object({
          oldText: z.string().describe('Text to search for - must match exactly'),
          newText: z.string().describe('Text to replace with'),
        }),
      ),
      dryRun: z.boolean().default(false).describe('Preview changes using git-style diff format'),
    }),
    outputSchema: TEXT,
    annotations: { readOnlyHint: false, idempotentHint: false, destructiveHint: true, openWorldHint: false },
    asks: { roots: directories.roots },
    async handler({ path, edits, dryRun }, ctx) {
      const file = await directories.resolve(path, ctx)
      return textResult(await (dryRun ? previewEdits : edit)(file, edits))
    },
  })

// #region create_directory
const createDirectory = (directories: Directories) =>
  defineTool({
    name: 'create_directory',
    title: 'Create Directory',
    description:
      'Create a new directory or ensure a directory exists. Can create multiple ' +
      'nested directories in one operation. If the directory already exists, ' +
      'this operation will succeed silently. Perfect for setting up directory ' +
      'structures for projects or ensuring required paths exist. Only works within allowed directories.',
    inputSchema: z.object({ path: z.string() }),
    outputSchema: z.object({ content: z.string() }),
    annotations: {
      readOnlyHint: false,
      idempotentHint: true,
      destructiveHint: false,
      openWorldHint: false,
    },
    asks: { roots: directories.roots },
    async handler({ path }, ctx) {
      await mkdir(await directories.resolve(path, ctx), { recursive: true })
      const text = `Successfully created directory ${path}`
      return { content: [{ type: 'text', text }], structuredContent: { content: text } }
    },
  })
// #endregion

const moveFile = (directories: Directories) =>
  defineTool({
    name: 'move_file',
    title: 'Move File',
    description:
      'Move or rename files and directories. Can move files between directories ' +
      'and rename them in a single operation. If the destination exists, the ' +
      'operation will fail. Works across different directories and can be used ' +
      'for simple renaming within the same directory. Both source and destination must be within allowed directories.',
    inputSchema: z.object({ source: z.string(), destination: z.string() }),
    outputSchema: TEXT,
    annotations: { readOnlyHint: false, idempotentHint: false, destructiveHint: true, openWorldHint: false },
    asks: { roots: directories.roots },
    async handler({ source, destination }, ctx) {
      const allowed = await directories.of(ctx)
      await move(await allowed.resolve(source), await allowed.resolve(destination))
      return textResult(`Successfully moved ${source} to ${destination}`)
    },
  })

export { createDirectory, editFile, moveFile, writeFile }
