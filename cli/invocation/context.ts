import type { Terminal } from '../terminal/output/output.ts';
import type { Input } from '../terminal/stdin.ts';

/** The streams, variables and directories that a command takes from its process. */
export type CliContext = {
  stdin: Input;
  stdout: Terminal;
  stderr: Terminal;
  /** Where logins are kept. */
  configDir: string;
  /** `MILLRACE_URL`. */
  baseUrl: string | undefined;
  /** `MILLRACE_TOKEN`: used where no token is given. */
  token: string | undefined;
  /** `MILLRACE_PASSWORD` and `MILLRACE_NEW_PASSWORD`. */
  password: string | undefined;
  newPassword: string | undefined;
  /** Texts that errors must not contain. */
  secrets: string[];
};
