import { type Done, doTask, type Task } from '../model/tasks.ts';

/** What a thread of the pool does with a task. */
export default (task: Task): Done => doTask(task);
