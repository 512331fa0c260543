export { readSkills, type ReadSkillsOptions } from './read-skills.ts'
