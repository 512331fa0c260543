import { methodNotFound } from '../errors.ts'
import { Method } from '../protocol/methods.ts'
import type * as whole from './listen-method.ts'

/** Answered by mounts, so that this is for what is handed over without one. */
export const listenEntry: typeof whole.listenEntry = () => [
  Method.Listen,
  {
    handle: () => {
      throw methodNotFound()
    },
  },
]

export const changeTopics: typeof whole.changeTopics = () => []
