import { COMPILED } from './compiled.ts'
import { MEMBERS } from './definitions.ts'
import { HANDLERS } from './handlers.ts'
import type { Mistake, Unknowable } from './mistake.ts'
import { WRONG_SERVER, WRONG_VALUE } from './mounts.ts'
import { UNKNOWN_OPTION } from './options.ts'
import { REQUESTS } from './requests.ts'
import { DEFINITIONS, OFFICIAL_METHODS, SHAPES } from './schemas.ts'

/** Common mistakes that Jetway detects. */
export const MISTAKES: readonly Mistake[] = [
  ...WRONG_SERVER,
  ...WRONG_VALUE,
  ...UNKNOWN_OPTION,
  ...MEMBERS,
  ...SHAPES,
  ...DEFINITIONS,
  ...OFFICIAL_METHODS,
  ...HANDLERS,
  ...REQUESTS,
  ...COMPILED,
]

/** Mistakes that Jetway cannot detect. */
export const UNKNOWABLE: readonly Unknowable[] = [
  {
    mistake: 'a handler without an outputSchema forgets to return',
    reason: 'many tools act and have nothing to return, so the empty result may be wanted',
  },
  {
    mistake: 'a second mount on a path that Express never reaches',
    reason: 'the mount gets no request, and does not see the routes of the app',
  },
  {
    mistake: 'a tool has no description',
    reason: 'tools in tests rarely have one; jetway doctor names them',
  },
  {
    mistake: 'an imported module writes to stdout before serveStdio is called',
    reason: 'nothing of Jetway runs yet; jetway doctor names the line',
  },
  {
    mistake: 'a client sends an argument that the schema does not name',
    reason:
      'some clients add arguments, and the library of the schema removes them; strictInput refuses them',
  },
  {
    mistake: 'a module keeps the data of one user in a variable',
    reason: 'a variable may belong to all users',
  },
]
