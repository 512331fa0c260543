import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { arch, platform } from 'node:process'
import { fileURLToPath } from 'node:url'

const modules = join(dirname(fileURLToPath(import.meta.url)), 'node_modules')
const exe = platform === 'win32' ? '.exe' : ''

/** The names under which a package for one platform keeps its executable. */
const files = (name) => [`bin/${name}${exe}`, `${name}${exe}`]

/** Node has one package for each platform, all of them named here. */
const nodeFolders = (name) => [join(modules, `${name}-${platform}-${arch}`)]

/** The others name theirs as optional dependencies, of which those for this platform are installed, beside them. */
function othersFolders(name) {
  const folder = join(modules, name)
  if (!existsSync(folder)) return []
  const real = realpathSync(folder)
  const { optionalDependencies = {} } = JSON.parse(readFileSync(join(real, 'package.json'), 'utf8'))
  return Object.keys(optionalDependencies).map((platformPackage) => join(dirname(real), platformPackage))
}

export function runtime(name) {
  const isNode = name.startsWith('node-')
  const folders = isNode ? nodeFolders(name) : othersFolders(name)
  for (const folder of folders)
    for (const file of files(isNode ? 'node' : name))
      if (existsSync(join(folder, file))) return join(folder, file)
  throw new Error(
    `The runtime ${name} is not installed for ${platform} ${arch}: no package of .ci/runtimes holds it. Run the install again.`,
  )
}
