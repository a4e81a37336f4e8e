/** Replaces `node:child_process` for commander in the bundle (scripts/build.ts): it is loaded when `spawn` is called. */
const late = () => process.getBuiltinModule('node:child_process');

export default {
  spawn: ((...args: Parameters<ReturnType<typeof late>['spawn']>) => late().spawn(...args)) as ReturnType<
    typeof late
  >['spawn'],
};
