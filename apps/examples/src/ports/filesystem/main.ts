import { serveStdio } from '@jetway/stdio'
import { directoriesOf } from './allowed-directories.ts'
import { createFilesystem } from './server.ts'

const args = process.argv.slice(2)
const list = await directoriesOf(args)
if (args.length > 0 && list.length === 0) {
  console.error('Error: None of the specified directories are accessible')
  process.exit(1)
}
if (list.length === 0)
  console.error(
    'No directories are allowed, so only clients with roots can use this server. To allow directories, pass them as arguments',
  )
await serveStdio(createFilesystem(list))
