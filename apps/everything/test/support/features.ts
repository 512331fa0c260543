import { CONTENTS } from './features/contents.ts'
import { CONVERSATION } from './features/conversation.ts'
import type { Feature } from './features/feature.ts'
import { TOOLS } from './features/tools.ts'

/** All features in the matrix, in this order. */
export const FEATURES: readonly Feature[] = [...CONVERSATION, ...TOOLS, ...CONTENTS]
