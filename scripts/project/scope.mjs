/** Renames the packages' scope, in case `@jetway` is not available on npm. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const TEXT =
  /\.(?:c?js|mjs|tsx?|mts|json|jsonc|md|ya?ml|txt|vue|css|svg|toml|sh)$|(?:^|\/)(?:Dockerfile|run)$/

/**
 * @param {string} text @param {string} scope such as `@other`
 * @returns {string} the text with the packages in that scope; names such as `@jetway-apps` are not changed
 */
export function inScope(text, scope) {
  const name = scope.slice(1)
  return text.replaceAll(/@jetway(?![\w-])/g, scope).replaceAll(/(?<=tarballs\\?\/)jetway(?=-)/g, name)
}

/**
 * @param {string} root @param {string} scope
 * @returns {number} the number of files that were changed
 * @throws Error if the scope is not valid on npm
 */
export function renameScope(root, scope) {
  if (!/^@[a-z0-9][a-z0-9._-]*$/.test(scope)) throw new Error('Name a scope, such as --scope @other')
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => TEXT.test(file))
  let changed = 0
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8')
    const renamed = inScope(text, scope)
    if (renamed === text) continue
    writeFileSync(join(root, file), renamed)
    changed += 1
  }
  return changed
}
