// Package sqsevent feeds SQS messages to the use cases: wakes to the worker,
// dead letters to their handler.
//
// Guarantees. The answer to a batch lists only the messages that are to come
// again, by their ids. One message's failure or panic stays its own. Before a
// message is given back its visibility is set to the wanted delay, since it
// would otherwise come back only when the queue's visibility timeout ends. A
// message that is no wake is given back until SQS moves it to the dead-letter
// queue, rather than vanish. Once the invocation's time is nearly over the rest
// of the batch is given back untouched, to come again at once.
//
// Known limits. The messages of one batch are worked on one after another: give
// the worker's event source a batch size of 1.
package sqsevent
