import { leftOut } from '../../errors-left-out.ts'
import type * as whole from './routes.ts'
import type { Door } from '../types.ts'

export const resolveSsePaths: typeof whole.resolveSsePaths = (option = false) => {
  if (option !== false) throw leftOut('The option legacySse')
  return undefined
}

export const doorOf: typeof whole.doorOf = () => 'mcp'

export const doorPaths: typeof whole.doorPaths = (path, legacySse) => {
  resolveSsePaths(legacySse)
  return new Map<string, Door>([[path.startsWith('/') ? path : `/${path}`, 'mcp']])
}
