/** What of the programme is run; the defaults are all of it, in one piece. */
const number = (name: string, otherwise: number) => Number(process.env[name] ?? otherwise);

export const settings = {
  /** The same seed gives the same schedules; what they hit is up to the machine. */
  seed: number('FAULTS_SEED', Date.now() % 1_000_000),
  /** Of each kind of process. */
  kills: number('FAULTS_KILLS', 300),
  /** Of everything at once. */
  allKills: number('FAULTS_ALL_KILLS', 60),
  /** Messages of three records, each second. */
  rate: number('FAULTS_RATE', 60),
  awayMs: number('FAULTS_AWAY_MINUTES', 30) * 60_000,
  /** Of the hosts that are cut off one after the other; and whether pgbouncer is between them and PostgreSQL. */
  cutMs: number('FAULTS_CUT_SECONDS', 15) * 1_000,
  pooler: process.env['FAULTS_POOLER'] === 'yes',
  fullMs: number('FAULTS_FULL_MINUTES', 10) * 60_000,
};
