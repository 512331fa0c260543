export type { Skill, SkillResource } from './types.ts'
export { type SkillRefusal, SkillRefusedError } from './errors.ts'
export type { LoadedSkill, SkillFile } from './loaded-skill.ts'
export { Skills, type SkillServer, type SkillsOptions } from './skills.ts'
