import { describeAttacks } from './support/describe-attacks.ts'

describeAttacks()
