import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { arch, platform } from 'node:process'
import { fileURLToPath } from 'node:url'

const modules = join(dirname(fileURLToPath(import.meta.url)), 'node_modules')
const exe = platform === 'win32' ? '.exe' : ''

/** Where the package for one platform may keep its executable. */
const files = (name) => [`bin/${name}${exe}`, `${name}${exe}`]

/** For Node, package.json lists one package for each platform. */
const nodeFolders = (name) => [join(modules, `${name}-${platform}-${arch}`)]

/** The other runtimes list the packages for all platforms as optional dependencies; one of them is installed. */
function platformFolders(name) {
  const folder = join(modules, name)
  if (!existsSync(folder)) return []
  const real = realpathSync(folder)
  const { optionalDependencies = {} } = JSON.parse(readFileSync(join(real, 'package.json'), 'utf8'))
  return Object.keys(optionalDependencies).map((platformPackage) => join(dirname(real), platformPackage))
}

export function runtime(name) {
  const isNode = name.startsWith('node-')
  const folders = isNode ? nodeFolders(name) : platformFolders(name)
  for (const folder of folders)
    for (const file of files(isNode ? 'node' : name))
      if (existsSync(join(folder, file))) return join(folder, file)
  throw new Error(
    `The runtime ${name} is not installed for ${platform} ${arch}: no dependency of .ci/runtimes contains it. Run: node .ci/pnpm.mjs install`,
  )
}
