/**
 * A port of `@modelcontextprotocol/server-filesystem` 2026.8.31 (MIT),
 * https://github.com/modelcontextprotocol/servers. All names, descriptions and strings match the original,
 * because a test compares the two servers' responses. The code is new.
 */
import { McpError, McpServer } from '@jetway/core'
import { Directories } from './directories.ts'
import { createDirectory, editFile, moveFile, writeFile } from './tools/change.ts'
import { directoryTree, getFileInfo, listAllowedDirectories, searchFiles } from './tools/find.ts'
import { listDirectory, listDirectoryWithSizes } from './tools/list.ts'
import { readMediaFile } from './tools/read-media-file.ts'
import { readMultipleFiles } from './tools/read-multiple-files.ts'
import { readText } from './tools/read-text.ts'

/** @param list - the directories for clients without roots */
export function createFilesystem(list: readonly string[]): McpServer {
  const server = new McpServer({ name: 'secure-filesystem-server', version: '0.2.0' }, { logging: false })
  const directories = new Directories(server, list)
  server.add(
    ...readText(directories),
    readMediaFile(directories),
    readMultipleFiles(directories),
    writeFile(directories),
    editFile(directories),
    createDirectory(directories),
    listDirectory(directories),
    listDirectoryWithSizes(directories),
    directoryTree(directories),
    moveFile(directories),
    searchFiles(directories),
    getFileInfo(directories),
    listAllowedDirectories(directories),
  )
  // #region errors
  // As in the original, the model reads the message of every error, such as
  // "ENOENT: no such file or directory, open '…'".
  server.use('tools/call', async (_ctx, next) => {
    try {
      return await next()
    } catch (error) {
      if (error instanceof McpError || !(error instanceof Error)) throw error
      return { content: [{ type: 'text', text: error.message }], isError: true }
    }
  })
  // #endregion
  return server
}
