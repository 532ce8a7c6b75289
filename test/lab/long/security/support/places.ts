/** Where the guarded servers of a test listen on 127.0.0.1, and who may use them. */
export interface Places {
  readonly user: string;
  readonly redis: number;
  readonly sentinel: number;
  /** What the Sentinel calls its master. */
  readonly master: string;
  readonly cluster: number;
  /** A Redis that repeats the password in its answer. */
  readonly echo: number;
  readonly postgres: number;
  readonly mariadb: number;
  readonly mariadbDatabase: string;
}

/** The passwords that an app shows. */
export interface Credentials {
  readonly password: string;
  readonly sentinelPassword: string;
}
